module.exports = {
  apps: [
    { name: 'ports', script: './app.js', instances: 2, exec_mode: 'fork', increment_var: 'PORT', env: { PORT: 4100 } },
  ],
};
