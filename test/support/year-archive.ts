// The archive of the simulated year: what merchants and operators can read of a payment is the same before and after
// archiving.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import { archiveHistory } from '../../src/archive/archive-history.ts'
import { day } from '../../src/domain/time.ts'
import { openOperator } from './operator.ts'
import type { YearPayment } from './year-books.ts'
import type { YearWorld } from './year-business.ts'

const afterDays = 90
/** How many payments are compared each time, in everything that can be read about them. */
const compared = 4

/** Settings that archive the history of finished payments to a folder, which is removed after the tests. */
export const archivingSettings = (): Record<string, string> => {
  const folder = mkdtempSync(join(tmpdir(), 'payin-year-'))
  after(() => rmSync(folder, { recursive: true }))
  return { PAYIN_FILE_STORAGE: pathToFileURL(folder).href, PAYIN_ARCHIVE_AFTER_DAYS: String(afterDays) }
}

/** Opens the archive of a year. */
export const openYearArchive = ({ service, shops, random, note }: YearWorld, payments: readonly YearPayment[]) => {
  const operator = openOperator(service)
  const remembered = new Map<YearPayment, unknown>()
  let unread = 0

  const readWhole = async (payment: YearPayment): Promise<unknown> => {
    const { merchantId, id, orderId } = payment
    const shop = shops.find((each) => each.shop.merchantId === merchantId)?.shop
    const { status, body } = await operator.get(`/payments/${merchantId}/${id}`)
    assert.equal(status, 200, JSON.stringify(body))
    const { archived: _where, ...shown } = body
    return [shown, (await shop?.get(`/payments/byOrderId/${orderId}/timeline`))?.body]
  }

  const isArchived = async ({ merchantId, id }: YearPayment): Promise<boolean> =>
    (await operator.get(`/archive/payments/${merchantId}/${id}`)).status === 200

  const assertHealthy = async (path: string): Promise<void> => {
    const { body } = await operator.get(path)
    const broken = body.checks.filter((check: { broken: number }) => check.broken > 0)
    assert.deepEqual(broken, [])
  }

  return {
    /** Merchants acknowledge most of what they were credited with since the last call. */
    acknowledge: async (): Promise<void> => {
      for (const { merchantId, orderId, status } of payments.slice(unread)) {
        if (status === 'expired' || random(8) === 0) continue
        const shop = shops.find((each) => each.shop.merchantId === merchantId)?.shop
        const answer = await shop?.post('/payments/byOrderId/ack', { orderId })
        // The bank may have taken the money back.
        note(answer?.status === 200 ? 'acknowledged' : 'acknowledged too late')
      }
      unread = payments.length
    },
    /** Verifies everything, and archives what is finished; checks that some of it still reads the same. */
    archive: async (): Promise<void> => {
      const ages = Math.floor(service.clock.now / day)
      const old = payments.filter(
        (each) => !remembered.has(each) && ages - Math.floor(each.createdAt / day) > afterDays + 1,
      )
      const some = Array.from({ length: Math.min(compared, old.length) }, () => old[random(old.length)] as YearPayment)
      await assertHealthy('/doctor')
      for (const each of some) remembered.set(each, await readWhole(each))
      while ((await archiveHistory(service.context)) > 0) note('archived')
      for (const each of some) assert.deepEqual(await readWhole(each), remembered.get(each))
    },
    /** Checks that all files are intact, that all invariants hold, and that archived payments still read the same. */
    end: async (): Promise<void> => {
      const { files, payments: archived } = (await operator.get('/archive')).body
      for (let number = 1; number <= files; number++)
        assert.deepEqual((await operator.get(`/archive/files/${number}/verification`)).body, { number, files })
      await assertHealthy('/doctor?full=true')
      for (const [payment, whole] of remembered)
        if (await isArchived(payment)) {
          assert.deepEqual(await readWhole(payment), whole)
          note('archived reads as before')
        }
      note(`archived ${archived > payments.length / 4 ? 'most' : 'little'} of what is old`)
    },
  }
}
