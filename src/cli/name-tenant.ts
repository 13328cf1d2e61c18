/** Commands of the whole installation, for which no tenant is named. */
const installationWide = 'tenants|keys|config|export|import|installation|completion|help'
const suggestedCommand = new RegExp(`\\bpayin (?!(?:${installationWide})\\b)(?=[a-z])`, 'g')

/**
 * A text with its commands as they have to be typed where `--tenant` was given: without it, what a hint says would be
 * done in another tenant.
 */
export const nameTenant = (text: string, tenant: string | undefined): string =>
  tenant === undefined ? text : text.replaceAll(suggestedCommand, `payin --tenant ${tenant} `)
