import { QueryClient } from '@tanstack/react-query'
import { ApiProblem } from './client.ts'

/** How often a page asks again while it is looked at, in milliseconds. */
export const liveEveryMs = 5000

/** What the pages have read, so that going back shows it at once. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2000,
      // A refusal does not go away by asking again; a lost connection may.
      retry: (failures, error) => !(error instanceof ApiProblem && error.status < 500) && failures < 2,
    },
  },
})
