import type { StatementAnswer } from '../../../../src/operations/statements.ts'
import { language } from '../../language.ts'

/** Why a file was refused: its lines and what is wrong with them. */
export const StatementFaults = ({ faults }: Pick<StatementAnswer, 'faults'>) => (
  <section className="panel sums" aria-label="Faults" tabIndex={0}>
    <table className="fault-list">
      <thead>
        <tr>
          <th scope="col">Line</th>
          <th scope="col">What is wrong with it</th>
        </tr>
      </thead>
      <tbody>
        {faults.map(({ line, reason }) => (
          <tr key={`${line} ${reason}`}>
            <td className="figures">{line.toLocaleString(language)}</td>
            <td>{reason}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
