import type { OneTimeLinkAnswer } from '../../../../src/operations/members.ts'
import { CopyText } from '../../parts/copy-text.tsx'
import { Moment } from '../../parts/moment.tsx'

/** A link that works once, to be passed on. */
export const OneTimeLink = ({ link: { link, expiresAt } }: { readonly link: OneTimeLinkAnswer }) => (
  <div className="one-time-link" role="status">
    <p className="strong">Send this link to the person through a channel that you trust.</p>
    <CopyText text={link} />
    <p className="quiet small">
      It works once, until <Moment at={expiresAt} />, and is not shown again.
    </p>
  </div>
)
