type Fault = { readonly field: string; readonly message: string }

/**
 * What a refusal says, each part once: the detail, and the faults of fields that it does not contain. A detail that is
 * nothing but these faults is said field by field.
 */
export const problemText = (detail: string, faults: readonly Fault[], say: (text: string) => string): string => {
  const isOfFaults = detail === faults.map(({ field, message }) => `${field} ${message}`).join(' ')
  const further = isOfFaults ? faults : faults.filter(({ message }) => !detail.includes(message))
  const said = further.map(({ field, message }) => `${field} ${say(message)}`)
  return [...(isOfFaults ? [] : [say(detail)]), ...said].join(' ')
}
