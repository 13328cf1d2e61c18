// Preloaded by `npm test`. The hash of a password is made to cost a tenth of a second of a processor; a member who is added and
// signs in with a second factor takes four. Here the same function does the same with less work; processes that a test starts
// take the whole.
'use strict'
const crypto = require('node:crypto')
const { syncBuiltinESMExports } = require('node:module')

const { scrypt } = crypto

crypto.scrypt = (password, salt, length, options, done) => {
  scrypt(password, salt, length, { ...options, N: 16 }, done)
}
syncBuiltinESMExports()
