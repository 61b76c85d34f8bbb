require('dotenv').config()
const { PGlite } = require('@electric-sql/pglite')

module.exports = new PGlite(process.env.DATABASE_URL || './pgdata')
