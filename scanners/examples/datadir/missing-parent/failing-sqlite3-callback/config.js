const path = require('path');

module.exports = {
  port: process.env.PORT || 4308,
  dbFile: process.env.DB_FILE || path.join(process.cwd(), 'db', 'quotes.db'),
};
