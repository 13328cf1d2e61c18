import type { IncomingMessage } from 'node:http'

/** How many headers of this name (in lower case) a request has; `headers` of Node.js has only the first of several. */
export const countHeader = ({ rawHeaders }: IncomingMessage, name: string): number => {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const each = rawHeaders[index]
    if (each?.length === name.length && each.toLowerCase() === name) count++
  }
  return count
}
