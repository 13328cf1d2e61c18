/** What pages of the console may show news of; `records` is whatever members change and the audit has. */
export const topics = [
  'payments',
  'transfers',
  'disputes',
  'deliveries',
  'ledger',
  'statements',
  'alerts',
  'records',
] as const
/** One of `topics`. */
export type Topic = (typeof topics)[number]

/** That something of a topic has changed, and whose it is: a merchant's, or nobody's in particular. */
export type News = { readonly topic: Topic; readonly merchantId: string | null }

const isTopic = (text: string): text is Topic => (topics as readonly string[]).includes(text)

/** News as a key of the bus of changes. */
export const newsKey = ({ topic, merchantId }: News): string => `news:${topic}:${merchantId ?? ''}`

/** The news of a key; undefined for a key of another kind. */
export const readNews = (key: string): News | undefined => {
  const [kind, topic = '', merchantId = ''] = key.split(':')
  if (kind !== 'news' || !isTopic(topic)) return undefined
  return { topic, merchantId: merchantId === '' ? null : merchantId }
}
