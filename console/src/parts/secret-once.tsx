import type { ReactNode } from 'react'
import { CopyText } from './copy-text.tsx'

type Props = { readonly title: string; readonly secret: string; readonly children?: ReactNode }

/** A secret that is shown once, to be copied before the dialog is closed. */
export const SecretOnce = ({ title, secret, children }: Props) => (
  <div className="secret-once" role="status">
    <p className="strong">{title}</p>
    <CopyText text={secret} />
    <p className="quiet small">It is not stored, and not shown again. Copy it before you close this.</p>
    {children}
  </div>
)
