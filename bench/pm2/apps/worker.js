setInterval(() => console.log('tick', process.argv.slice(2).join(' ')), 500);
