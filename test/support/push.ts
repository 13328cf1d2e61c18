// Signed pushes, as a bank's feed sends them.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { openOperator, type Operator } from './operator.ts'
import type { TestService } from './service.ts'
import { type Answer, send } from './shop.ts'

/** Pushes transfers as a source. */
export type Feed = ((transfers: readonly object[], writtenId?: string) => Promise<Answer>) & {
  readonly sourceId: string
  /** By which another operator approves it; empty if nothing waits for that. */
  readonly version: string
}

/** Adds a source that may push for requisites, as an operator; returns the function that pushes its transfers. */
export const openFeed = async (
  service: TestService,
  name: string,
  requisiteIds: readonly string[],
  operator: Pick<Operator, 'call' | 'get'> = openOperator(service),
): Promise<Feed> => {
  const added = await operator.call('POST', '/statement-sources', { name, requisiteIds })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const { key } = (await operator.call('POST', `/statement-sources/${added.body.id}/key`)).body
  const push = (transfers: readonly object[], writtenId: string = added.body.id): Promise<Answer> => {
    const body = JSON.stringify({ transfers })
    const timestamp = String(Math.floor(service.clock.now / 1000))
    const signature = createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex')
    const headers = {
      'content-type': 'application/json',
      'payin-timestamp': timestamp,
      'payin-signature': `v1=${signature}`,
    }
    return send(service, `/api/v1/feeds/${writtenId}/transfers`, { method: 'POST', headers, body })
  }
  const sourceId: string = added.body.id
  const { sources } = (await operator.get('/statement-sources')).body
  const { unapproved } = sources.find(({ id }: { id: string }) => id === sourceId)
  return Object.assign(push, { sourceId, version: (unapproved?.version as string | undefined) ?? '' })
}

/** As `openFeed`; what the source signs is the bank's report, because another operator, if there is one, approves it. */
export const openApprovedFeed = async (
  service: TestService,
  name: string,
  requisiteIds: readonly string[],
): Promise<Feed> => {
  const feed = await openFeed(service, name, requisiteIds)
  const { sourceId, version } = feed
  const { status } = await openOperator(service, 'boris').call('POST', `/statement-sources/${sourceId}/approve`, {
    version,
  })
  assert.ok(status === 200 || status === 401, String(status))
  return feed
}
