// The parts that generated pages are made of.

const generated =
  '<!-- Written by `npm run docs` from the tables in src/ and the texts in test/helpers/docs/: change those. -->';

export function page(title: string, parts: string[]): string {
  return `${[generated, `# ${title}`, ...parts].join('\n\n')}\n`;
}

/** Replaces what stands between `<!-- name: ... -->` and `<!-- /name -->`. */
export function withTables(text: string, tables: Record<string, string>): string {
  return Object.entries(tables).reduce((page, [name, rows]) => {
    const place = new RegExp(`(<!-- ${name}:.*-->\n)[\\s\\S]*?(<!-- /${name} -->)`);
    return page.replace(place, (_, begin, end) => `${begin}\n${rows}\n\n${end}`);
  }, text);
}

export function code(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``;
}

/** A session in a terminal: what is typed follows `$ `. */
export function session(text: string): string {
  return `\`\`\`console\n${text}\n\`\`\``;
}

export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
