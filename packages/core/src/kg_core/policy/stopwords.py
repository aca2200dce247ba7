"""Words that say nothing about a subject. They are indexed, but a question does not ask for them."""

from __future__ import annotations

from typing import Final

_ENGLISH = """
a about above after again against all also am an and any anybody anyone anything anyway are around aren't as ask at be
because been before being below between both but by can can't cannot come could couldn't did didn't do does doesn't
doing don't done down during each either else etc even ever every everybody everyone everything few find fine first
for from further get gets give given go goes going gonna good got great had has have having he help her here hers him
his hi hello hey how i i'd i'll i'm i've if in into is isn't it it's its itself just keep know last let let's like
likely little look looks lot made make makes many may maybe me mean might more most much must my need needs never new
next nice no none nor not nothing now of off ok okay on once one only or other ought our out over own please put
rather really right said same say see seem shall she should show since so some somebody someone something somewhere
soon still such sure take tell than thank thanks that that's the their them then there these they thing things think
this those through to too try two under until up us use used uses using very via want wants was wasn't way we we're
we've well were what what's when where whether which while who whom whose why will with within without won't work
works would yeah yes yet you you're your yours
"""
_EUROPEAN = """
aber als auch auf aus bei bitte das dass dem den der des die du ein eine einem einen einer es für hat ich im ist mit
nach nicht noch nur oder sich sie sind und von war warum was wenn wer werden wie wir wird zu zum zur au aux avec ce
cette comme dans de des du elle en est et il je la le les leur mais ne nous on ou par pas pour que qui sans se sont
sur un une vous con como cómo el ella en es esta este lo los las más para pero por qué que se sin su un una y в во вот
все всё где для до его ее её если есть еще ещё же за и из или их к как когда ли мне мы на не нет но о об он она они от
по почему при с со так такой там то только ты у уже что чтобы это этот я
"""
_CYRILLIC = """
без бы был была были было быть вам вас весь вот всех вы где даже два для должен должна другой ему есть здесь какая
какие какое какой каком кого кто который которая которые куда лишь между меня может можно могут возможно мой моя надо
нам нас него нее ней них ни ну нужно один она очень перед под после потом почти при про сам себя сейчас снова сколько
раз тебя тем тех тогда того тоже той том тому туда уж хоть чего чем через эта эти этим этих этого этой этом або але
аби без бо був була були було бути в вже ви від він вони для до де є за з зі із і й його її їх коли куди ми може можна
мені на навіть нам нас наш не ні ну при про після по перед потім та так такий там те тепер ти то тобто треба тут у хто
це цей ця ці цього чи через чому що щоб як яка яке який які якщо я
"""
_ARABIC = """
أو أي أين أم أن إن إلى إذا الذي التي الذين الى بعد بين ثم حتى حول حين دون ذلك عن على عند عندما غير في فقط فوق قبل قد
كان كانت كل كم كيف لا لكن لم لماذا لن له لها ليس ما ماذا متى مع من منذ نحن هذا هذه هل هو هي هناك و وهل يا يجب يكون
يمكن هنا أنا أنت نعم شكرا ليوم اليوم الآن كما مثل أكثر أفضل آن آنها آیا از است اگر اما ان او این با باید بر برای بود
به بی پس تا چرا چه چند چی چیست چگونه خود در دارد دارم داریم را روی شد شده شود شما ما من می نیست هر هست هستند هم همه
هنوز هیچ و ولی وقتی ها های یا یک یه کدام کجا کنم کنیم کنید که کی باشد کرد کند کنند چطور بعد قبل آیا ممنون مرسی
"""
_HEBREW = """
אבל או אולי אז אותו אותה אותם אחרי אחר איך אין איפה איזה איזו אחד אחת אל אלה אם אני אנחנו את אתה אתם בין בלי גם דרך
הוא היא הם הן הזה הזאת היה הייתה היו היום הכל זה זאת זו זהו יהיה יותר יש כאן כבר כדי כי כך כל כמה כמו כן לא לו לה להם
לי לך לנו לפני לפי למה לכן מה מי מתי מאוד מן מאיפה נא עד עוד על עם עכשיו פה צריך צריכה צריכים קצת רק של שלו שלה שלי
שלנו שם תודה האם
"""
_CHINESE = """
注意 事情 东西 开始 继续 谢谢 好的 问一 帮忙 告诉 觉得 想要 一个 一下 一些 不是 不能 为什 什么 他们 但是 你们 使用
可以 可能 哪些 哪个 因为 如何 如果 就是 已经 应该 怎么 怎样 我们 所以 时候 是否 有没 没有 现在 看看 知道 这个 这些
这样 还是 那个 那些 需要 请问 帮我 一点 個什 沒有 現在 這個 這些 這樣 為什 什麼 麼樣 怎麼 我們 他們 應該 還是 請問
幫我
"""
_JAPANESE = """
あり ある あれ いう いく いた いて いで いま いる いは うか うと おく から かり かる きた くだ くて ここ こと この これ
さい さい しい した して しま すか すが する すれ そう その それ たい たち たの たは だけ だっ だと ださ った って っと
つい つか ても てい てく です では でき でし でも とい とき とこ とし とは ども ない なが なく なぜ など なに なの なら
なり なる なん にし にす につ には にも ので のか のが のは のに のを はず ひと べき まし ます ませ また まで まと みる
もう もの やっ よう よく より られ りま るか ると るの るは れて れば れる わか をお をし んか んだ んで
"""
_KOREAN = """
그리 그런 까요 나요 는데 니다 대한 데요 려면 무엇 습니 어떤 어떻 에서 에게 왜요 으로 이런 인가 입니 주세 하고 하는 하면
합니 해서 해요 했습 떻게 세요 리고
"""

_ALL: Final = (_ENGLISH, _EUROPEAN, _CYRILLIC, _ARABIC, _HEBREW, _CHINESE, _JAPANESE, _KOREAN)

STOP: Final = frozenset(word.replace("'", "") for word in " ".join(_ALL).casefold().split())
"""Case-folded; words without their apostrophes, and pairs of characters where a script has no spaces."""
