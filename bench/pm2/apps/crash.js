setTimeout(() => process.exit(1), 50);
