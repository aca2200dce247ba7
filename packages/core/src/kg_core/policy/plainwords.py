"""Words of everyday English. They may name a subject, but sharing one says little: everybody uses them for everything.

How common a word is in a memory of some hundred lessons cannot tell this. The list was written for this project as
general vocabulary, and reduced to words that reach about 16 in a million in running text in one of their forms.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from kg_core.policy.stems import stem

_WORDS: Final = """
able above accept access accident according account across act action active activity actor actual add address
administration admit adult advance advantage advice affair afraid africa afternoon age agency agent ago agree
agreement ahead aid aim air airport alive allow almost alone along already alternative although amazing america
american among amount ancient anger angry animal anniversary announce annual another answer anybody anymore anyone
anything anyway anywhere apart apartment apparent appeal appear appearance apple application apply appoint approach
appropriate approve april area argue argument arm army around arrange arrest arrive art article artist asia aside
asleep aspect assault assembly asset assist associate association assume attack attempt attend attention attitude
attract audience august australia author authority autumn available average avoid award aware away awesome awful baby
back background bad bag balance ball band bank bar base baseball basic basis basketball bath bathroom battle beach
bear beat beautiful beauty become bed bedroom beer begin behavior behaviour behind belief believe bell belong beneath
benefit beside besides best bet better beyond big bike bill billion bird birth birthday bit bite bitter black blame
block blood blow blue board boat body bomb bond bone book border bored boring born boss bother bottle bottom bowl box
boy boyfriend brain branch brand brave bread break breakfast breath breathe brick bridge brief bright brilliant bring
britain british broad brother brown brush budget bug build building bunch burn bus bush business busy butter button
buy cake call calm camera camp campaign can cancer candidate cap capable capital captain car card care career careful
carry case cash cast castle cat catch category cause celebrate cell center central centre century ceremony certain
chain chair challenge chamber champion championship chance change channel chapter character characteristic charge
charity chart chase cheap check cheese chef chemical chest chicken chief child children china chinese chocolate choice
choose christian christmas church circle circumstance citizen city civil claim class classic clean clear clever click
client climate climb clock close cloth clothes clothing cloud club coach coal coast coat code coffee cold colleague
collect collection college color colour column combination combine comedy comfort comfortable command comment
commercial commission commit commitment committee common communicate communication community company compare
comparison compete competition complain complaint complete complex complicated component computer concept concern
concert conclusion condition conduct conference confidence confident confirm conflict confuse congress connect
connection consequence conservative consider considerable consideration consist constant construct construction
consumer contact contain content contest context continue contract contrast contribute contribution control
conversation convert convince cook cool copy core corner corporate correct cost cotton council count counter country
county couple courage course court cousin cover crash crazy cream create creation creative creature credit crew crime
criminal crisis critic critical criticism cross crowd cry cultural culture cup curious currency current customer cut
cute cycle dad daily damage damn dance danger dangerous dare dark data database date daughter dawn day dead deal dear
death debate debt decade december decide decision declare decline deep defeat defence defend defense define definition
degree delay deliver delivery demand democracy democratic demonstrate deny department depend deposit depth describe
description desert deserve design desire desk desperate despite destroy destruction detail determine develop
development device devil diamond die diet difference different difficult difficulty dig digital dinner direct
direction director dirt dirty disappear disappoint disaster discipline discount discover discovery discuss discussion
disease dish display distance distinct distribute distribution district divide division divorce doctor document dog
dollar domestic door double doubt downtown dozen draft drag drama dramatic draw drawing dream dress drink drive driver
drop drug dry duck due dust duty each ear early earn earth ease east eastern easy eat economic economy edge edit
edition editor educate education effect effective efficient effort egg eight either elect election electric
electricity electronic element elementary else elsewhere emergency emotion emotional empire employ employee employer
empty enable encounter encourage end enemy energy engage engine engineer engineering england english enjoy enormous
enough ensure enter enterprise entertainment entire entitle entrance entry environment environmental equal equipment
era error escape especially essay essential establish estate estimate europe european even evening event eventually
everybody everyday everyone everything everywhere evidence evil exact exam examination example excellent except
exchange excite exciting excuse exercise exhibition exist existence existing exit expand expect expectation expense
expensive experience experiment expert explain explanation explore export expose express expression extend extension
extent external extra extraordinary extreme eye face facility fact factor factory fail failure fair fairly faith fall
false fame familiar family famous fan fancy fantastic far farm farmer fashion fast fat fate father fault favor
favorite favour favourite fear feature february federal fee feed feel feeling fellow female fence festival fever fewer
field fifth fifty fight figure file fill film final finance financial finger finish fire firm fish fishing fit fitness
five fix flag flat flight floor flow flower fly focus folk follow food fool foot football force foreign forest forever
forget forgive form formal former formula forth fortune forty forward foundation four fourth frame france free freedom
french frequent fresh friday friend friendly friendship front fruit fuel full fun function fund fundamental funny
furniture future gain gallery game gap garage garden gas gate gather gay gender general generate generation generous
german germany ghost giant gift girl girlfriend glad glass global goal god gold golden golf grab grade graduate grand
grandfather grant grass grateful grave gray great green grey ground group grow growth guarantee guard guess guest
guide guilty guitar gun guy gym habit hair half hall hand handle hang happen happy hard hardly harm hat hate head
health healthy hear heart heat heaven heavy height hell hello helpful hence hero hide high highlight highway hill hire
historical history hit hold hole holiday hollywood holy home honest honey honor honour hope horror horse hospital host
hot hotel hour house household housing huge human hundred hungry hunt hunting hurt husband ice idea ideal identify
identity ignore ill illegal illness image imagination imagine immediate impact implement importance important
impossible impress impression impressive improve improvement inch incident include income increase incredible indeed
independence independent india indian indicate individual industrial industry influence inform information initial
initiative injure injury inner innocent inside inspire install instance instead institute institution instruction
instrument insurance intelligence intelligent intend intense intention interest interesting internal international
internet interview introduce introduction investigate investigation investment invite involve iron island issue
italian italy item jacket jail january japan japanese jazz jealous jet jewish job join joint joke journal journalist
journey joy judge juice july jump june junior jury justice key kick kid kill kind king kingdom kiss kit kitchen knee
knife knock knowledge label labor labour lack lady lake land landscape language large last late latter laugh launch
law lawyer lay layer lazy lead leader leadership leaf league learn least leather leave left leg legal legend length
lesson letter level liberal library license lie life lift light limit limited line link lip list listen literally
literature live load loan local location lock log logic lonely long lord lose loss lost lots loud love lovely lover
low lower luck lucky lunch machine mad magazine magic mail main maintain major majority male mall man manage
management manager manner manual manufacture map march mark market marketing marriage marry mass massive master match
mate material math matter maximum mayor meal meaning means meanwhile measure meat media medical medicine medium meet
meeting member membership memory mental mention menu mess message metal method middle midnight mile military milk mill
million mind mine minimum minister minor minority minute mirror miss mission mistake mix mobile mode model modern mom
moment monday money monitor month mood moon moral morning mostly mother motion motor mount mountain mouse mouth move
movement movie mum murder muscle museum music musical mystery nail naked name narrow nasty nation national native
natural nature near nearby nearly necessary neck negative neighbor neighborhood neither nervous net network
nevertheless news newspaper night nine noise none normal north northern nose note notice novel november nowhere
nuclear number numerous nurse nut object objective observe obtain obvious occasion occur ocean october odd offer
office officer official oil old older olympic ones ongoing online open opening operate operation opinion opponent
opportunity oppose opposite opposition option orange order ordinary organic organisation organization organize origin
original otherwise outcome output outside overall overcome owner pace pack package page pain painful paint painting
pair palace pan panel panic pants paper parent park parking parliament part participant participate particular partly
partner partnership party pass passage passenger passion past path patience patient pattern pay payment peace peak pen
penalty people per percent percentage perfect perform performance perhaps period permanent permission permit person
personal personality perspective pet phase phone photo photograph photographer phrase physical physics piano pick
picture piece pilot pin pink pipe pizza place plan plane planet planning plant plastic plate platform play player
pleasant pleased pleasure plenty plot plus pocket poem poet poetry point police policy political politician politics
poll pollution pool poor pop popular population port portion portrait position positive possession possibility
possible post pot potential pound poverty powder power powerful practical practice pray prefer pregnant prepare
presence present presentation president press pressure pretend pretty prevent previous price pride priest primary
prime prince princess principal principle print prior priority prison prisoner private prize probably problem
procedure process produce producer product production professional professor profile profit program programme progress
project promise promote proof proper property proposal propose protect protection protest proud prove provide province
public publication publish pull purchase pure purple purpose pursue push quality quarter queen question quick quiet
quit quite quote race racing radical radio rail railway rain raise range rank rapid rare rate ratio raw reach reaction
read reader reading ready real realise reality realize rear reason reasonable recall receive recent recipe recognition
recognize recommend recommendation record recover recovery red reduce reduction refer reference reflect reform refuse
regard region regional register regret regular regulation reject relate relation relationship relative relax release
relevant relief religion religious rely remain remarkable remember remind remote remove rent repair repeat replace
reply report represent representative republic republican reputation request require requirement rescue research
reserve resident resist resolution resort resource respect respond response responsibility responsible rest restaurant
restriction result retail retire retirement return reveal revenue reverse review revolution reward rice rich ride ring
rise risk river road rock role roll romantic roof room root rough round route routine row royal rude ruin rule ruling
run running rural rush russia russian sad safe safety salary sale salt sample sand saturday sauce save saving scale
scared scene schedule scheme school science scientific scientist score scream screen script sea search season seat
second secret secretary section sector secure security seed seek select selection self sell send senior sense
sensitive sentence separate september sequence series serious serve server service session set setting settle
settlement seven several severe sex sexual shadow shake shall shame shape share sharp shed sheet shell shelter shift
ship shirt shock shoe shoot shop shopping short shot shoulder shower shut sick side sight sign signal significant
silence silent silly silver similar simple simply sing singer single sink sir sister sit site situation six size skill
skin skip sky sleep slide slight slip slow small smart smell smile smoke smooth snake snow soccer social society soft
software soil soldier sole solid solution solve somebody somehow someone sometimes somewhat somewhere son song sorry
sort soul sound source south southern space spanish spare speak speaker special species specific speech speed spell
spend spirit spiritual split sport spot spread spring square stable stadium staff stage stand standard star start
state statement station statistics status stay steady steal steel step stick stock stomach stone stop storage store
storm story straight strange stranger strategy stream street strength stress stretch strict strike string strong
structure struggle student studio study stuff stupid style subject submit substance substantial succeed success
successful sudden suffer sufficient sugar suggest suggestion suicide suit suitable sum summer sun sunday super supply
support suppose surface surgery surprise surround survey survival survive suspect sweet swim swimming swing switch
symbol system table tail talent talk tall tank tap tape target task taste tax tea teach teacher team tear technical
technique technology teen telephone television temperature temporary ten tend tension term terrible territory test
text thanks theater theatre theme theory therefore thick thin third thirty though thought thousand threat threaten
three throat throughout throw thursday ticket tie tiger tight till time tiny tip tire tired title today together
toilet tomorrow tone tongue tonight tool top topic total touch tough tour tourist toward towards tower town toy track
trade tradition traditional traffic trail train training transfer translation transport transportation trap travel
treat treatment tree trend trial trick trip trouble truck true trust truth tuesday tune tunnel turn twelve twenty
twice twin twist type typical ugly ultimate unable uncle under understand unfortunately union unique unit unite united
universal universe university unknown unless unlike unlikely unusual update upon upper upset urban usual vacation
valley valuable value van variety various vary vast vehicle version via victim victory video view village violence
violent virtual virus visible vision visit visitor visual vital voice volume volunteer vote wage wait wake walk wall
war warm warn warning wash waste watch water wave weak wealth weapon wear weather web website wedding wednesday week
weekend weekly weight weird welcome west western wet wheel whenever whereas wherever whether white whole wide wife
wild willing win wind window wine wing winner winter wire wise wish witness woman wonder wonderful wood wooden word
worker world worried worry worse worst worth write writer writing wrong yard year yellow yesterday young youth zero
zone
"""


def is_plain(term: str) -> bool:
    """Whether a term is an everyday word in any of its forms."""
    return term in _stems()


def plain_words() -> list[str]:
    """The words, each in one of its forms."""
    return _WORDS.split()


@cache
def _stems() -> frozenset[str]:
    return frozenset(stem(word) for word in plain_words())
