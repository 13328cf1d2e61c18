/** The offset of a time zone, such as `UTC+03:00`. */
export const zoneText = (minutes: number): string => {
  const [hours, left] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const digits = [hours, left].map((each) => String(each).padStart(2, '0')).join(':')
  return `UTC${minutes < 0 ? '−' : '+'}${digits}`
}
