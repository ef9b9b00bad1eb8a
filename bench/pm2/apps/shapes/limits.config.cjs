module.exports = {
  apps: {
    name: 'limits',
    script: 'app.js',
    max_memory_restart: '150M',
    min_uptime: '5s',
    max_restarts: 7,
    restart_delay: 3000,
    kill_timeout: 3000,
    listen_timeout: 5000,
    exp_backoff_restart_delay: 100,
    stop_exit_codes: [0, 3],
  },
};
