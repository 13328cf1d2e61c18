/** What a claimant says is wrong, in words. */
export const reasonText = (reason: string): string => reason.replaceAll('-', ' ')
