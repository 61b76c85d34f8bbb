const path = require('node:path')
exports.folder = path.join(__dirname, 'private', 'db')
