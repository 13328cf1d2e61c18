// Preloaded by `npm test`. Node's test runner follows every promise by async hooks, to name the test that an error outside
// all tests belongs to; that takes a tenth of the processor time of the tests. Without, such an error fails the run as
// well, under the name of its file.
'use strict'
const asyncHooks = require('node:async_hooks')

const { createHook } = asyncHooks

asyncHooks.createHook = (callbacks) => {
  const isOfRunner = new Error().stack.includes('node:internal/test_runner')
  return createHook(isOfRunner ? { ...callbacks, trackPromises: false } : callbacks)
}
