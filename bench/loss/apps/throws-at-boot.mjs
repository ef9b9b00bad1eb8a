throw new Error('this version cannot start');
