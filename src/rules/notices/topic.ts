/** Topics of news in the console; `records` covers everything that members change and that is in the audit. */
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
export type Topic = (typeof topics)[number]

/** Reports that something of a topic has changed, and whose it is: a merchant's, or nobody's in particular. */
export type News = { readonly topic: Topic; readonly merchantId: string | null }

const isTopic = (text: string): text is Topic => (topics as readonly string[]).includes(text)

/** The key of news on the change bus. */
export const newsKey = ({ topic, merchantId }: News): string => `news:${topic}:${merchantId ?? ''}`

/** The news of a key; undefined for a key of another kind. */
export const readNews = (key: string): News | undefined => {
  const [kind, topic = '', merchantId = ''] = key.split(':')
  if (kind !== 'news' || !isTopic(topic)) return undefined
  return { topic, merchantId: merchantId === '' ? null : merchantId }
}
