module.exports = {
  apps: [
    {
      name: 'one',
      script: './worker.js',
      args: 'a b',
      env: { NODE_ENV: 'development' },
      env_production: { NODE_ENV: 'production' },
    },
    { name: 'two', script: 'app.js', instances: 2, exec_mode: 'cluster', max_memory_restart: '1G', merge_logs: true },
  ],
};
