/** The channel of what operators report by hand. */
export const operatorChannel = 'operator'

const feedPrefix = 'feed:'
const dayMark = ' by day'
const sourceMark = ' of '

/** The channel of what a source pushes. */
export const feedChannel = (sourceId: string): string => `${feedPrefix}${sourceId}`

/** The channel of a kind of file, such as `camt.053`: with days or with times, of a source or of none. */
export const fileChannel = (kind: string, isByDay: boolean, sourceId: string | null): string =>
  `${kind}${isByDay ? dayMark : ''}${sourceId === null ? '' : `${sourceMark}${sourceId}`}`

/** Whether a channel is a kind of file: a file lists all money of its account and time, not some of it. */
export const isFileChannel = (channel: string): boolean =>
  channel !== operatorChannel && !channel.startsWith(feedPrefix)

/** Whether the reports of a channel say the day of a booking only. */
export const isByDay = (channel: string): boolean =>
  isFileChannel(channel) && (channel.endsWith(dayMark) || channel.includes(`${dayMark}${sourceMark}`))

/** The source whose files or pushes a channel is; `undefined` where it is of none. */
export const sourceOf = (channel: string): string | undefined => {
  if (channel.startsWith(feedPrefix)) return channel.slice(feedPrefix.length)
  const at = isFileChannel(channel) ? channel.indexOf(sourceMark) : -1
  return at < 0 ? undefined : channel.slice(at + sourceMark.length)
}
