import { timingSafeEqual } from 'node:crypto'

/** Whether two hex hashes are equal, in a time that does not reveal how many of their characters agree. */
export const equalHashes = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a, 'hex'), Buffer.from(b, 'hex')]
  return left.length > 0 && left.length === right.length && timingSafeEqual(left, right)
}
