import type { Context } from '../context.ts'
import type { Instant } from '../domain/time.ts'
import { listCursors, listNextPayments } from './store.ts'

export type Finished = {
  readonly merchantId: string
  readonly paymentId: string
  readonly orderId: string
  readonly createdAt: Instant
  readonly sequence: number
}

/** The payments of the next file, and how far the search went. */
export type Choice = {
  readonly payments: readonly Finished[]
  readonly cursors: readonly { readonly merchantId: string; readonly paymentId: string }[]
}

/** How many payments one query and one round scan. */
const [atOnce, perRound] = [500, 50_000]

/** The payments that were created before a time and have not changed since. */
export type Bounds = { readonly untilId: string; readonly before: Instant }

/** The next finished payments, up to a number, merchant by merchant in the order of their creation. */
export const choosePayments = async (context: Context, { untilId, before }: Bounds, most: number): Promise<Choice> => {
  const payments: Finished[] = []
  const cursors: { merchantId: string; paymentId: string }[] = []
  let looked = 0
  const isEnough = () => payments.length >= most || looked >= perRound
  for (const { merchantId, paymentId } of await context.query(listCursors, { untilId })) {
    if (isEnough()) break
    let afterId = paymentId
    while (afterId !== untilId && !isEnough()) {
      const rows = await context.query(listNextPayments, { merchantId, afterId, untilId, before, limit: atOnce })
      let taken = 0
      for (const { id, isFinished, ...row } of rows) {
        if (payments.length >= most) break
        if (isFinished) payments.push({ merchantId, paymentId: id, ...row })
        afterId = id
        taken++
      }
      looked += taken
      if (taken === rows.length && rows.length < atOnce) afterId = untilId
    }
    cursors.push({ merchantId, paymentId: afterId })
  }
  return { payments, cursors }
}
