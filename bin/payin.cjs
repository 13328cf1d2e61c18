#!/usr/bin/env node
// Starts the command line (src/cli/payin.ts) on the Node.js that comes with the dependencies, from any folder.
'use strict'

const { spawn, spawnSync } = require('child_process')
const fs = require('fs')
const os = require('os')
const path = require('path')

const root = path.resolve(fs.realpathSync(__dirname), '..')
const node = path.join(root, 'node_modules', '.bin', 'node')

if (!fs.existsSync(node)) {
  const install = path.join(root, 'scripts', 'install.cjs')
  const installed = spawnSync(process.execPath, [install], { stdio: ['ignore', 'inherit', 'inherit'] })
  if (installed.status !== 0) process.exit(installed.status || 1)
}

// Where the folder can be written, Node.js keeps the compiled code there: the next call takes half the time.
const cache = { NODE_COMPILE_CACHE: path.join(root, 'node_modules', '.cache', 'compiled') }

const child = spawn(node, [path.join(root, 'src', 'cli', 'payin.ts')].concat(process.argv.slice(2)), {
  env: Object.assign(cache, process.env),
  stdio: 'inherit',
})

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
signals.forEach(function (signal) {
  process.on(signal, function () {
    // A terminal gives Ctrl-C to the child as well; twice would mean "at once".
    if (signal === 'SIGINT' && process.stdin.isTTY) return
    child.kill(signal)
  })
})

child.on('error', function (error) {
  process.stderr.write('payin: cannot start ' + node + ': ' + error.message + '\n')
  process.exit(1)
})

child.on('exit', function (code, signal) {
  if (signal === null) process.exit(code)
  // Ends as the child ended, so that a shell sees the signal.
  signals.forEach(function (name) {
    process.removeAllListeners(name)
  })
  process.exitCode = 128 + (os.constants.signals[signal] || 0)
  process.kill(process.pid, signal)
})
