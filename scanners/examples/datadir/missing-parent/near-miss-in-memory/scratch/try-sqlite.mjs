import Database from 'better-sqlite3'
console.log(new Database('tmp/try/rooms.db').prepare('select 1').get())
