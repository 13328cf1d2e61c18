import { Button } from '@mantine/core'
import { ApiProblem } from '../api/client.ts'
import { Icon } from './icon.tsx'
import { say } from '../language.ts'

type Props = { readonly error: Error; readonly onRetry?: (() => void) | undefined }

/** Text with the parts between backticks shown as code. */
const withCode = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))

/** Why something could not be shown or done, and what to do. */
export const ProblemMessage = ({ error, onRetry }: Props) => {
  const problem = error instanceof ApiProblem ? error : undefined
  return (
    <div className="problem" role="alert">
      <Icon name="alert" size={20} />
      <div>
        <p className="strong">{say(error.message)}</p>
        {problem?.remedy !== undefined && <p>{withCode(say(problem.remedy))}</p>}
        {problem?.requestId !== undefined && (
          <p className="quiet small">
            {problem.code}, request <code>{problem.requestId}</code>
          </p>
        )}
        {onRetry !== undefined && (
          <Button mt="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  )
}
