module.exports = { apps: [{ name: 'package', script: 'npm', args: 'run start', env: { NODE_ENV: 'test' } }] };
