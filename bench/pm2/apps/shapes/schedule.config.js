module.exports = [
  {
    name: 'schedule',
    script: 'worker.js',
    cron_restart: '0 4 * * *',
    autorestart: false,
    watch: ['shapes'],
    ignore_watch: ['node_modules', 'logs'],
  },
];
