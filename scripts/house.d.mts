import type { SourceFile } from 'typescript';

export function readHouse(root: string): Map<string, SourceFile>;
export function importsOf(source: SourceFile, options?: { values?: boolean }): string[];
export function exportsOf(source: SourceFile): string[];
export function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][];
