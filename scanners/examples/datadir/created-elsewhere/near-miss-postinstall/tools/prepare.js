const fs = require('node:fs')
const { folder } = require('../places')

if (!fs.existsSync(folder)) fs.mkdirSync(folder, { recursive: true })
