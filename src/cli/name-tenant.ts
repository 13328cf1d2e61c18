/** Commands of the whole installation; they take no tenant. */
const installationWide = 'tenants|keys|config|export|import|installation|completion|help'
const suggestedCommand = new RegExp(`\\bpayin (?!(?:${installationWide})\\b)(?=[a-z])`, 'g')

/** A text with `--tenant` added to the commands in it, if it was given: a hint must not lead to another tenant. */
export const nameTenant = (text: string, tenant: string | undefined): string =>
  tenant === undefined ? text : text.replaceAll(suggestedCommand, `payin --tenant ${tenant} `)
