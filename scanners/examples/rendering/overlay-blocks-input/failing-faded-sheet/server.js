const path = require('node:path')
const express = require('express')

express().use(express.static(path.join(__dirname, 'public'))).listen(process.env.PORT || 4710)
