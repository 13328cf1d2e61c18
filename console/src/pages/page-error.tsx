import type { ErrorComponentProps } from '@tanstack/react-router'
import { ProblemMessage } from '../parts/problem-message.tsx'

/** What a page shows that broke: after an update also one whose files are gone, which loading it again brings back. */
export const PageError = ({ error }: ErrorComponentProps) => (
  <main className="alone">
    <ProblemMessage
      error={error instanceof Error ? error : new Error(String(error))}
      onRetry={() => location.reload()}
    />
  </main>
)
