const names = ['mail', 'import'];

module.exports = {
  apps: names.map((name, index) => ({
    name: `computed-${name}`,
    namespace: 'computed',
    script: './worker.js',
    args: `--queue ${name} --number ${index}`,
    env: { QUEUE: name, OWNER: process.env.LANG },
    env_staging: { QUEUE: `${name}-staging` },
  })),
  deploy: { production: { user: 'www', host: 'example.org', ref: 'origin/main', repo: 'git@example.org:x.git', path: '/srv' } },
};
