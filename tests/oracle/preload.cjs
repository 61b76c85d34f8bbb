// Loaded into every Node process of a run (NODE_OPTIONS=--require). It writes what happens as JSON lines to the file
// named by ORACLE_EVENTS and marks each HTTP answer with the port of the server that gave it. It changes no behaviour.
'use strict'

const fs = require('node:fs')
const http = require('node:http')
const net = require('node:net')

const file = process.env.ORACLE_EVENTS
const append = fs.appendFileSync
const { isMainThread } = require('node:worker_threads')

function note(event) {
  try {
    append(file, JSON.stringify({ pid: process.pid, ...event }) + '\n')
  } catch {
    // the run is over and its folder gone
  }
}

if (file && isMainThread) {
  note({ event: 'start', parent: process.ppid, script: process.argv[1] ?? '', arguments: process.argv.slice(2), cwd: process.cwd() })

  const listen = net.Server.prototype.listen
  net.Server.prototype.listen = function (...args) {
    this.once('listening', () => {
      const address = this.address()
      if (address && typeof address === 'object') note({ event: 'listen', port: address.port, address: address.address })
    })
    return listen.apply(this, args)
  }

  const emit = http.Server.prototype.emit
  http.Server.prototype.emit = function (name, request, response) {
    if (name === 'request' && response && !response.headersSent) response.setHeader('x-oracle-port', String(this.address()?.port ?? 0))
    return emit.apply(this, arguments)
  }

  // Vite tells the configuration that it resolved when DEBUG names vite:config, whatever its parent does with stderr.
  const write = process.stderr.write
  process.stderr.write = function (chunk, ...rest) {
    const text = String(chunk)
    if (!text.includes('vite:config')) return write.call(this, chunk, ...rest)
    if (text.includes('using resolved config')) note({ event: 'config', text })
    return true
  }

  process.on('uncaughtExceptionMonitor', (error) => {
    const { name, message, code, errcode, syscall, path } = Object(error)
    note({ event: 'crash', name, message: String(message).slice(0, 400), code, errcode, syscall, path })
  })
  process.on('exit', (code) => note({ event: 'exit', code }))
}
