import type { ReactNode } from 'react'
import { Brand } from '../../shell/brand.tsx'
import './sign-in.css'

type Props = { readonly title: string; readonly children: ReactNode }

/** A page outside the console: one card with one task. */
export const SignInFrame = ({ title, children }: Props) => (
  <main className="alone">
    <div className="sign-in">
      <Brand />
      <h1>{title}</h1>
      {children}
    </div>
  </main>
)
