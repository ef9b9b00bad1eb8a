export default {
  apps: [
    { name: 'shop', script: 'web.mjs', env: { PORT: '3000' } },
    // Time to finish what runs, when it is reloaded or stopped.
    { name: 'exports', script: 'worker.mjs', instances: 2, kill_timeout: '30s' },
  ],
};
