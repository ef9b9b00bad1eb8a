module.exports = { apps: [{ name: 'python', script: './app.py', interpreter: 'python3' }] };
