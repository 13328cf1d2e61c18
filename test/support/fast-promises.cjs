// Preloaded by `npm test`. Node's test runner follows every promise with async hooks, to name the test to which an
// error outside all tests belongs; that takes a tenth of the processor time of the tests. Without them, such an error
// still fails the run, under the name of its file.
'use strict'
const asyncHooks = require('node:async_hooks')

const { createHook } = asyncHooks

asyncHooks.createHook = (callbacks) => {
  const isOfRunner = new Error().stack.includes('node:internal/test_runner')
  return createHook(isOfRunner ? { ...callbacks, trackPromises: false } : callbacks)
}
