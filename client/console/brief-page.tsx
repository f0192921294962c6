import type { Desk, Work } from '../index.ts'
import { Beliefs } from './beliefs.tsx'
import { Brief } from './brief.tsx'
import type { Person } from './person.ts'
import { ViewAs } from './view-as.tsx'

interface Props {
  readonly desk: Desk
  readonly person: Person
  readonly mine: Work | undefined
}

export const BriefPage = ({ desk, person, mine }: Props) => (
  <ViewAs desk={desk} person={person}>
    <div class="columns">
      <Brief desk={desk} person={person} />
      <Beliefs desk={desk} person={person} mine={mine} />
    </div>
  </ViewAs>
)
