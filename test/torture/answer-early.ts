// Loaded into a service by a control: answers are sent before what they promise is committed. One transaction stays open,
// and is committed now and then.
import pg from 'pg'

const commitEveryMs = 400

type Query = (this: pg.Client, ...all: unknown[]) => unknown

const prototype = pg.Client.prototype as unknown as { query: Query; connect: Query }
const query = prototype.query
const begun = new WeakSet<pg.Client>()

const commitNowAndThen = (client: pg.Client): void => {
  begun.add(client)
  void query.call(client, 'begin')
  const timer = setInterval(() => {
    void (query.call(client, 'commit') as Promise<unknown>).catch(() => clearInterval(timer))
    void (query.call(client, 'begin') as Promise<unknown>).catch(() => undefined)
  }, commitEveryMs)
  timer.unref()
}

// A start tries things that may fail, which would end the one transaction.
let isReady = false
const write = process.stdout.write.bind(process.stdout)
process.stdout.write = ((...all: Parameters<typeof write>) => {
  isReady ||= String(all[0]).includes('Payin is ready')
  return write(...all)
}) as typeof write

prototype.query = function (...all: unknown[]): unknown {
  const [text] = all
  const isCommand = (word: string): boolean => typeof text === 'string' && text.startsWith(word)
  // A transaction that is under way when the service is ready ends as it is meant to.
  if (isReady && !begun.has(this) && !isCommand('commit')) commitNowAndThen(this)
  if (!begun.has(this)) return query.call(this, ...all)
  if (isCommand('begin')) return Promise.resolve({ command: 'BEGIN' })
  if (isCommand('commit')) return Promise.resolve({ command: 'COMMIT' })
  return query.call(this, ...all)
}
