import { QueryClient } from '@tanstack/react-query'
import { ApiProblem } from './client.ts'

/** How often a visible page reads again, in milliseconds. */
export const liveEveryMs = 5000

/** Keeps what the pages have read, so that going back shows it at once. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2000,
      // Asking again does not help after a refusal; after a lost connection it may.
      retry: (failures, error) => !(error instanceof ApiProblem && error.status < 500) && failures < 2,
    },
  },
})
