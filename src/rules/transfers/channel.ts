export const operatorChannel = 'operator'

/** The channel of messages on phones, which are one feed: whichever phone forwards a message, its money is one booking. */
export const messageChannel = 'feed:phones'

const feedPrefix = 'feed:'
const dayMark = ' by day'
const sourceMark = ' of '

/** The channel of a source's pushes. */
export const feedChannel = (sourceId: string): string => `${feedPrefix}${sourceId}`

/** The channel of a kind of file, such as `camt.053`: with days or with times, of a source or of none. */
export const fileChannel = (kind: string, isByDay: boolean, sourceId: string | null): string =>
  `${kind}${isByDay ? dayMark : ''}${sourceId === null ? '' : `${sourceMark}${sourceId}`}`

/** Whether a channel is a kind of file: a file lists all money of its account and time. */
export const isFileChannel = (channel: string): boolean =>
  channel !== operatorChannel && !channel.startsWith(feedPrefix)

/** Whether the reports of a channel give only the day of a booking. */
export const isByDay = (channel: string): boolean =>
  isFileChannel(channel) && (channel.endsWith(dayMark) || channel.includes(`${dayMark}${sourceMark}`))

/** The source whose files or pushes a channel carries; `undefined` if it belongs to none. */
export const sourceOf = (channel: string): string | undefined => {
  if (channel.startsWith(feedPrefix)) return channel.slice(feedPrefix.length)
  const at = isFileChannel(channel) ? channel.indexOf(sourceMark) : -1
  return at < 0 ? undefined : channel.slice(at + sourceMark.length)
}
