import { type Changes as KeyChanges, type Database, openChanges as openKeyChanges } from 'payin-database'
import { type News, newsKey, readNews, type Topic } from '../rules/notices/topic.ts'

/** "Something about this key has changed", within this process and, as a hint, between processes. */
export type Changes = Omit<KeyChanges, 'gather' | 'watch'> & {
  /**
   * Announces that something of a topic has changed, to watchers in this and other processes, within a quarter of a
   * second. Cheap enough for every payment.
   */
  announce(topic: Topic, merchantIds?: readonly (string | null)[]): void
  /** Calls `listener` with all news until the returned function is called. */
  watch(listener: (news: News) => void): () => void
}

/** Opens the change bus over a database; `name` must be unique among all open buses. */
export const openChanges = async (database: Database, name: string): Promise<Changes> => {
  const changes = await openKeyChanges(database, name)
  return {
    ...changes,
    announce: (topic, merchantIds = [null]) =>
      changes.gather(merchantIds.map((merchantId) => newsKey({ topic, merchantId }))),
    watch: (listener) =>
      changes.watch((key) => {
        const news = readNews(key)
        if (news) listener(news)
      }),
  }
}
