module.exports = {
  apps: [
    {
      name: 'arguments',
      script: 'worker.js',
      args: ['--port', '3000', 'with blank'],
      node_args: ['--max-old-space-size=512', '--no-warnings'],
      instance_var: 'SLOT',
      instances: 1,
    },
  ],
};
