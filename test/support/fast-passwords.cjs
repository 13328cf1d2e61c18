// Preloaded by `npm test`. A password hash takes a tenth of a second of processor time on purpose, and adding a member
// who signs in with a second factor takes four of them. Here the same function does less work. Processes that tests
// start do the full work.
'use strict'
const crypto = require('node:crypto')
const { syncBuiltinESMExports } = require('node:module')

const { scrypt } = crypto

crypto.scrypt = (password, salt, length, options, done) => {
  scrypt(password, salt, length, { ...options, N: 16 }, done)
}
syncBuiltinESMExports()
