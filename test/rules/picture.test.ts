// Logos are known by their bytes, with their size.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Picture, readPicture } from '../../src/rules/payments/picture.ts'
import { qrImage } from '../../src/http/payment-page/qr-image.ts'

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex')

const riff = (chunk: string): Buffer => bytes(`52494646 24000000 57454250 ${chunk}`)

const jpeg = (marker: string): Buffer =>
  bytes(`ffd8 ffe0 0010 4a46494600010100000100010000 ff ${marker} 0011 08 0028 0118 03012200021101031101 ffd9`)

for (const [title, content, expected] of [
  ['a PNG', qrImage('a'), { type: 'image/png', width: 174, height: 174 }],
  ['a JPEG of 280 × 40', jpeg('ffc0'), { type: 'image/jpeg', width: 280, height: 40 }],
  ['a progressive JPEG', jpeg('c2'), { type: 'image/jpeg', width: 280, height: 40 }],
  [
    'a lossy WebP',
    riff('56503820 18000000 300100 9d012a 1801 2800 00000000'),
    { type: 'image/webp', width: 280, height: 40 },
  ],
  ['a lossless WebP', riff('5650384c 18000000 2f 17c10900 0000000000'), { type: 'image/webp', width: 280, height: 40 }],
  [
    'an extended WebP',
    riff('56503858 0a000000 10000000 170100 270000'),
    { type: 'image/webp', width: 280, height: 40 },
  ],
  ['a JPEG without a frame', bytes('ffd8 ffe0 0010 4a46494600010100000100010000 ffd9'), undefined],
  ['a Huffman table, which is no frame', jpeg('c4'), undefined],
  ['a PNG without pixels', Buffer.from(qrImage('a').fill(0, 16, 24)), undefined],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), undefined],
  ['a GIF', Buffer.from('GIF89a'), undefined],
  ['nothing', Buffer.alloc(0), undefined],
] as const satisfies readonly (readonly [string, Buffer, Picture | undefined])[]) {
  test(`${title} is ${expected ? `${expected.type} of ${expected.width} × ${expected.height}` : 'no picture'}`, () =>
    assert.deepEqual(readPicture(content), expected))
}

test('whatever follows the first bytes, a picture has pixels or is none', () => {
  const starts = [jpeg('c0').subarray(0, 20), riff('56503838'), qrImage('a').subarray(0, 16)]
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 60 }), (start, rest) => {
      const picture = readPicture(Buffer.concat([start, rest]))
      assert.ok(!picture || (picture.width > 0 && picture.height > 0))
    }),
  )
})
