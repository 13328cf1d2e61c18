// Sources whose files come by themselves: from folders, mailboxes and SFTP servers.
import assert from 'node:assert/strict'
import { minute } from '../../src/rules/time.ts'
import { openBank } from './bank.ts'
import { openOperator } from './operator.ts'
import type { TestService } from './service.ts'
import { camtOf, type MadeRow } from './statement-files.ts'

type Bank = Awaited<ReturnType<typeof openBank>>
type PickedFile = { name: string; origin: string; statementId?: string; problem?: string }
let sources = 0

export const byName = ([one = '']: readonly (string | undefined)[], [other = '']: readonly (string | undefined)[]) =>
  one.localeCompare(other)

/** The file with a name among those that were picked up. */
export const named = (files: readonly PickedFile[], wanted: string): PickedFile => {
  const found = files.find(({ name }) => name === wanted)
  assert.ok(found, JSON.stringify(files))
  return found
}

/** A file of a bank's account, as the bank writes it. */
export const fileOf = ({ account, date }: Bank, ...rows: readonly Partial<MadeRow>[]): string =>
  camtOf({ account, rows: rows.map((row) => ({ minor: 500_00n, date, ...row })) })

/** A bank whose source has a pickup that anna has set up, and boris has approved. */
export const openPickup = async (
  service: TestService,
  pickup: object,
  { approved = true, hasSeveral = false, isKnown = true } = {},
) => {
  const bank = await openBank(service)
  // Two people have looked at a file of the account.
  service.clock.advance(minute)
  if (isKnown) await bank.bringAgreed(camtOf, [{ minor: 3_00n }])
  const anna = openOperator(service, 'anna')
  const name = `files ${++sources}`
  const requisiteIds = hasSeveral ? bank.shop.requisiteIds : [bank.requisiteId]
  const added = await anna.call('POST', '/statement-sources', { name, requisiteIds })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const at = `/statement-sources/${added.body.id}`
  const set = await anna.call('PUT', `${at}/pickup`, pickup)
  assert.equal(set.status, 200, JSON.stringify(set.body))
  const { unapproved } = set.body
  if (approved) {
    const approval = await openOperator(service, 'boris').call('POST', `${at}/approve`, { version: unapproved.version })
    assert.equal(approval.status, 200, JSON.stringify(approval.body))
  }
  const source = async () =>
    (await anna.get('/statement-sources')).body.sources.find((each: { name: string }) => each.name === name)
  return {
    ...{ service, bank, anna, at, name, source },
    /** Lets minutes pass; every place is looked at once a minute. */
    pass: async (minutes = 1) => {
      for (let passed = 0; passed < minutes; passed++) {
        service.clock.advance(minute)
        await service.runJobs()
      }
    },
    files: async (): Promise<PickedFile[]> => (await anna.get(`${at}/files`)).body.files,
    statement: async (id = '') => (await anna.get(`/statements/${id}`)).body,
  }
}
