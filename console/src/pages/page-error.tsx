import type { ErrorComponentProps } from '@tanstack/react-router'
import { ProblemMessage } from '../parts/problem-message.tsx'

/** Shown when a page fails. After an update its files may be gone; loading the page again helps. */
export const PageError = ({ error }: ErrorComponentProps) => (
  <main className="alone">
    <ProblemMessage
      error={error instanceof Error ? error : new Error(String(error))}
      onRetry={() => location.reload()}
    />
  </main>
)
