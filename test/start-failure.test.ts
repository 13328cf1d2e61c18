import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseSettings } from '../src/config.ts'
import { startFailure } from '../src/start-banner.ts'

const parsed = parseSettings({ PAYIN_DATA_DIR: '/srv/payin', PORT: '80' })
const settings = parsed.ok ? parsed.settings : assert.fail(parsed.errors.join())

const fault = (code: string, syscall: string, path?: string) =>
  Object.assign(new Error(`${code}: it failed, ${syscall}`), { code, syscall, ...(path !== undefined && { path }) })

const cases: readonly (readonly [error: Error, says: RegExp])[] = [
  [fault('EADDRINUSE', 'listen'), /port 80 is in use.*PORT=81 npm start$/],
  [fault('EACCES', 'listen'), /may not listen on 127\.0\.0\.1:80 \(EACCES\).*HOST or PORT/],
  [fault('EADDRNOTAVAIL', 'listen'), /may not listen on 127\.0\.0\.1:80 \(EADDRNOTAVAIL\)/],
  [fault('EACCES', 'mkdir', '/srv/payin'), /data directory \/srv\/payin .*\(EACCES\).*PAYIN_DATA_DIR/],
  [fault('EACCES', 'open', '/srv/payin/secrets.json'), /data directory \/srv\/payin .*\(EACCES\).*PAYIN_DATA_DIR/],
  [fault('EROFS', 'mkdir', '/srv/payin/database'), /data directory \/srv\/payin .*\(EROFS\).*PAYIN_DATA_DIR/],
  [fault('ENOTDIR', 'open', '/srv/payin/secrets.json'), /data directory \/srv\/payin .*\(ENOTDIR\).*PAYIN_DATA_DIR/],
  [fault('ENOSPC', 'write', '/srv/payin/database'), /data directory \/srv\/payin .*\(ENOSPC\).*PAYIN_DATA_DIR/],
  [fault('EACCES', 'open', '/etc/ca.pem'), /^Payin cannot start: EACCES: it failed, open$/],
]

describe('why a start failed is one line that says what to change', () => {
  for (const [error, says] of cases) {
    const { path = '' } = error as { path?: string }
    test(`${error.message} ${path}`, () => {
      const text = startFailure(error, settings)
      assert.match(text, says)
      assert.doesNotMatch(text, /\n/)
    })
  }
})
